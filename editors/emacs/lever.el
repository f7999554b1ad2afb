;;; lever.el --- gains of a causal profile at their lines  -*- lexical-binding: t -*-
;; SPDX-License-Identifier: BSD-2-Clause

;; Package-Requires: ((emacs "25.1"))
;; Keywords: tools, c
;; Version: 0.1.0

;;; Commentary:

;; M-x lever-report shows the sure gains and contentions of a profile in a
;; compilation buffer: next-error (M-g n) visits their lines.

;;; Code:

(require 'compile)

(defgroup lever nil
  "The causal profiler Lever."
  :group 'tools)

(defcustom lever-program "lever"
  "The program lever."
  :type 'string)

(define-compilation-mode lever-mode "Lever"
  "Gains of a causal profile."
  (setq-local compilation-error-regexp-alist '(lever))
  (setq-local compilation-error-regexp-alist-alist
              '((lever "^\\(.+?\\):\\([0-9]+\\): [^0-9 ]*[0-9.]+ %" 1 2 nil 1))))

;;;###autoload
(defun lever-report (profile)
  "Show what the lines of PROFILE would gain."
  (interactive (list (read-file-name "Profile: " nil nil t "lever.lever")))
  (compilation-start
   (mapconcat #'shell-quote-argument
              (list lever-program "report" "--format" "quickfix" (expand-file-name profile)) " ")
   #'lever-mode))

(provide 'lever)
;;; lever.el ends here
