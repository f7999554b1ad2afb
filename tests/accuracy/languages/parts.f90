! SPDX-License-Identifier: BSD-2-Clause
! parts CASE SECONDS PERCENT_A PERCENT_B - a Fortran program whose gains are known by how it is made (../languages.py).
!
! stages: two threads of a parallel region do first and second, and meet; lock: they do first, and second in a
! critical section.
module work
  use iso_c_binding
  use omp_lib
  implicit none
  integer(8) :: sink = 0
  interface
    integer(c_size_t) function c_write(file, bytes, count) bind(C, name="write")
      import
      integer(c_int), value :: file
      character(kind=c_char), intent(in) :: bytes(*)
      integer(c_size_t), value :: count
    end function
    integer(c_int) function c_creat(path, mode) bind(C, name="creat")
      import
      character(kind=c_char), intent(in) :: path(*)
      integer(c_int), value :: mode
    end function
  end interface
contains
  subroutine first(count)
    integer(8), intent(in) :: count
    integer(8) :: i, value
    value = 1
    do i = 1, count
      value = ieor(value, ishft(value, 13))
      value = ieor(value, ishft(value, -7))
    end do
    if (value == 0) sink = 1
  end subroutine

  subroutine second(count)
    integer(8), intent(in) :: count
    integer(8) :: i, value
    value = 1
    do i = 1, count
      value = ieor(value, ishft(value, 13))
      value = ieor(value, ishft(value, -7))
    end do
    if (value == 0) sink = 2
  end subroutine
end module

program parts
  use work
  implicit none
  character(32) :: word, kind
  real(8) :: seconds, begun, a_percent, b_percent
  integer(8) :: a, b, visits, own
  integer(c_int) :: out
  integer(c_size_t) :: written
  logical :: goes_on

  call get_command_argument(1, kind)
  call get_command_argument(2, word); read (word, *) seconds
  call get_command_argument(3, word); read (word, *) a_percent
  call get_command_argument(4, word); read (word, *) b_percent
  a = int(8000 * a_percent, 8)
  b = int(8000 * b_percent, 8)
  out = c_creat("/dev/null" // c_null_char, 384_c_int)
  begun = omp_get_wtime()
  visits = 0
  goes_on = .true.
  if (kind == "stages") then
    !$omp parallel num_threads(2) private(written)
    do while (goes_on)
      if (omp_get_thread_num() == 0) call first(5 * a)
      if (omp_get_thread_num() == 1) call second(4 * b)
      !$omp barrier
      if (omp_get_thread_num() == 0) then
        written = c_write(out, "x", 1_c_size_t)
        visits = visits + 1
        goes_on = omp_get_wtime() < begun + seconds
      end if
      !$omp barrier
    end do
    !$omp end parallel
  else
    !$omp parallel num_threads(2) private(own, written) reduction(+:visits)
    own = 0
    do while (omp_get_wtime() < begun + seconds)
      call first(3 * a / 5)
      !$omp critical
      call second(b)
      !$omp end critical
      written = c_write(out, "x", 1_c_size_t)
      own = own + 1
    end do
    visits = visits + own
    !$omp end parallel
  end if
  print '(a,i0)', "period_ns=", int(1d9 * (omp_get_wtime() - begun) / real(visits, 8), 8)
end program
