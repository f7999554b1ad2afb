/* SPDX-License-Identifier: BSD-2-Clause */
/* calls_files - of the program calls: waiting for time, for pipes, sockets, files and streams. */
#include "calls.h"

#include <fcntl.h>
#include <mqueue.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <threads.h>

/* What _FORTIFY_SOURCE makes of them. */
ssize_t __read_chk(int, void *, size_t, size_t);
ssize_t __pread_chk(int, void *, size_t, off_t, size_t);
ssize_t __pread64_chk(int, void *, size_t, off64_t, size_t);
ssize_t __recv_chk(int, void *, size_t, size_t, int);
ssize_t __recvfrom_chk(int, void *restrict, size_t, size_t, int, struct sockaddr *restrict,
		       socklen_t *restrict);
int __poll_chk(struct pollfd *, nfds_t, int, size_t);
int __ppoll_chk(struct pollfd *, nfds_t, const struct timespec *, const sigset_t *, size_t);
size_t __fread_chk(void *restrict, size_t, size_t, size_t, FILE *restrict);
char *__fgets_chk(char *restrict, size_t, int, FILE *restrict);

static int ends[2]; /* what is written to the second can be read from the first */
static char letters[64], x[] = "x", xy[] = "xy\n", q[] = "q";

static int write_letter(void *text)
{
	const char *letter = text;
	return write(ends[1], letter, strlen(letter)) != (ssize_t)strlen(letter);
}

/* `call` waits until a letter comes. */
#define READS(name, call)                                                        \
	do {                                                                     \
		memset(letters, 0, sizeof(letters));                             \
		later(write_letter, x);                                          \
		long answer = (long)(call);                                      \
		say(#name, later_is_done() && answer == 1 && letters[0] == 'x'); \
	} while (0)

/* `call` says that there is a letter, once there is. */
#define SEES(name, call)                                                                      \
	do {                                                                                  \
		later(write_letter, x);                                                       \
		long answer = (long)(call);                                                   \
		say(#name, later_is_done() && answer == 1 && read(ends[0], letters, 1) == 1); \
	} while (0)

static fd_set *only(fd_set *files, int fd)
{
	FD_ZERO(files);
	FD_SET(fd, files);
	return files;
}

static void call_readiness(void)
{
	struct pollfd file = {.fd = ends[0], .events = POLLIN};
	struct timespec minute = {.tv_sec = 60}, moment = {.tv_nsec = 2000000};
	struct timeval minute_too = {.tv_sec = 60};
	struct epoll_event event = {.events = EPOLLIN};
	int set = epoll_create1(0);
	fd_set files;

	epoll_ctl(set, EPOLL_CTL_ADD, ends[0], &event);
	SEES(poll, poll(&file, 1, 60000));
	SEES(__poll_chk, __poll_chk(&file, 1, -1, sizeof(file)));
	SEES(ppoll, ppoll(&file, 1, &minute, NULL));
	SEES(__ppoll_chk, __ppoll_chk(&file, 1, NULL, NULL, sizeof(file)));
	SEES(select, select(ends[0] + 1, only(&files, ends[0]), NULL, NULL, &minute_too));
	SEES(pselect, pselect(ends[0] + 1, only(&files, ends[0]), NULL, NULL, &minute, NULL));
	SEES(epoll_wait, epoll_wait(set, &event, 1, 60000));
	SEES(epoll_pwait, epoll_pwait(set, &event, 1, -1, NULL));
	SEES(epoll_pwait2, epoll_pwait2(set, &event, 1, &minute, NULL));
	say("poll in time", !poll(&file, 1, 2) && !poll(&file, 1, 0));
	say("ppoll in time", !ppoll(&file, 1, &moment, NULL));
	say("epoll_wait in time", !epoll_wait(set, &event, 1, 2) && !epoll_wait(set, &event, 1, 0));
	close(set);
}

static int close_end(void *end)
{
	return close(*(int *)end);
}

static int shut_end(void *end)
{
	return shutdown(*(int *)end, SHUT_RDWR);
}

static void call_pipes(void)
{
	struct iovec part = {.iov_base = letters, .iov_len = 1};

	if (pipe(ends))
		abort();
	READS(read, read(ends[0], letters, 1));
	READS(__read_chk, __read_chk(ends[0], letters, 1, sizeof(letters)));
	READS(readv, readv(ends[0], &part, 1));
	call_readiness();
	say("write", write(ends[1], "ab", 2) == 2 && read(ends[0], letters, 2) == 2);
	say("writev", writev(ends[1], &part, 1) == 1 && read(ends[0], letters, 1) == 1);
	later(close_end, &ends[1]);
	say("close", read(ends[0], letters, 1) == 0 && later_is_done());
	close(ends[0]);
	ends[0] = ends[1] = eventfd(0, 0);
	eventfd_t value = 0;
	say("eventfd_write", !eventfd_write(ends[0], 5));
	say("eventfd_read", !eventfd_read(ends[0], &value) && value == 5);
	close(ends[0]);
}

static void call_sockets(void)
{
	struct iovec part = {.iov_base = letters, .iov_len = 1};
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
	struct mmsghdr messages = {.msg_hdr = message};

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
		abort();
	READS(recv, recv(ends[0], letters, 1, 0));
	READS(__recv_chk, __recv_chk(ends[0], letters, 1, sizeof(letters), 0));
	READS(recvfrom, recvfrom(ends[0], letters, 1, 0, NULL, NULL));
	READS(__recvfrom_chk, __recvfrom_chk(ends[0], letters, 1, sizeof(letters), 0, NULL, NULL));
	READS(recvmsg, recvmsg(ends[0], &message, 0));
	READS(recvmmsg, recvmmsg(ends[0], &messages, 1, 0, NULL));
	say("send", send(ends[1], "x", 1, 0) == 1 && read(ends[0], letters, 1) == 1);
	say("sendto", sendto(ends[1], "x", 1, 0, NULL, 0) == 1 && read(ends[0], letters, 1) == 1);
	say("sendmsg", sendmsg(ends[1], &message, 0) == 1 && read(ends[0], letters, 1) == 1);
	say("sendmmsg", sendmmsg(ends[1], &messages, 1, 0) == 1 && read(ends[0], letters, 1) == 1);
	later(shut_end, &ends[1]);
	say("shutdown", read(ends[0], letters, 1) == 0 && later_is_done());
	close(ends[0]);
	close(ends[1]);
}

static int client_of(void *address)
{
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	int code = connect(fd, (struct sockaddr *)address, sizeof(struct sockaddr_un));

	close(fd);
	return code;
}

static void call_connections(void)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int listener = socket(AF_UNIX, SOCK_STREAM, 0), fd;

	snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1, "lever-calls-%d", getpid());
	if (bind(listener, (struct sockaddr *)&address, sizeof(address)) || listen(listener, 4))
		abort();
	later(client_of, &address);
	fd = accept(listener, NULL, NULL);
	say("accept", later_is_done() && fd >= 0);
	close(fd);
	later(client_of, &address);
	fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	say("accept4", later_is_done() && fd >= 0);
	close(fd);
	say("connect", !client_of(&address));
	close(listener);
}

/* ---- locks of files ---- */

static int unlock_file(void *fd)
{
	return flock(*(int *)fd, LOCK_UN);
}

static int unlock_own(void *fd)
{
	struct flock lock = {.l_type = F_UNLCK, .l_whence = SEEK_SET};
	return fcntl(*(int *)fd, F_OFD_SETLK, &lock);
}

/*
 * A child holds the lock by lockf until it ends, a moment after it said so; POSIX's are a
 * process's.
 */
static pid_t holder_of(int fd)
{
	int said[2];
	char byte;

	fflush(stdout);
	if (pipe(said))
		abort();
	pid_t pid = fork();
	if (!pid) {
		byte = lockf(fd, F_LOCK, 0) ? 'n' : 'y';
		if (write(said[1], &byte, 1) != 1)
			_exit(99);
		usleep(2000);
		_exit(lockf(fd, F_ULOCK, 0) ? 1 : 0);
	}
	if (read(said[0], &byte, 1) != 1 || byte != 'y')
		abort();
	close(said[0]);
	close(said[1]);
	return pid;
}

/* `call` takes the lock that a child holds, and lets it go again. */
#define TAKES_FILE(name, call)                                                       \
	do {                                                                         \
		int status = 1, code;                                                \
		pid_t pid = holder_of(fd);                                           \
		code = call;                                                         \
		say(#name, !code && waitpid(pid, &status, 0) == pid && !status &&    \
				   !lockf(fd, F_ULOCK, 0) && !lockf(fd, F_TEST, 0)); \
	} while (0)

static void call_file_locks(int fd, int again)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET}, held = lock;

	flock(again, LOCK_EX);
	later(unlock_file, &again);
	say("flock", !flock(fd, LOCK_EX) && later_is_done());
	lseek(fd, 0, SEEK_SET);
	TAKES_FILE(lockf, lockf(fd, F_LOCK, 0));
	TAKES_FILE(lockf64, lockf64(fd, F_LOCK, 0));
	TAKES_FILE(fcntl, fcntl(fd, F_SETLKW, &lock));
	TAKES_FILE(fcntl64, fcntl64(fd, F_SETLKW, &lock));
	fcntl(again, F_OFD_SETLKW, &held);
	later(unlock_own, &again);
	say("fcntl of a lock that is its file's",
	    !fcntl(fd, F_OFD_SETLKW, &lock) && later_is_done());
	say("fcntl without waiting", fcntl(again, F_OFD_SETLK, &lock) == -1 && errno == EAGAIN &&
					     !unlock_own(&fd) && !fcntl(fd, F_SETLK, &lock));
	say("fcntl of other things", fcntl(fd, F_SETFD, FD_CLOEXEC) == 0 &&
					     fcntl(fd, F_GETFD) == FD_CLOEXEC &&
					     fcntl(fd, F_SETLKW, NULL) == -1 && errno == EFAULT);
}

/* ---- queues of messages ---- */

struct message {
	long type;
	char text[8];
};

static int send_message(void *queue)
{
	const struct message message = {.type = 1, .text = "x"};
	return msgsnd(*(int *)queue, &message, 1, 0);
}

static int take_message(void *queue)
{
	struct message message;
	return msgrcv(*(int *)queue, &message, sizeof(message.text), 0, 0) != 1;
}

static void call_queues(void)
{
	int queue = msgget(IPC_PRIVATE, 0600);
	struct msqid_ds room;
	struct message message = {.type = 1};

	later(send_message, &queue);
	say("msgrcv", msgrcv(queue, &message, sizeof(message.text), 0, 0) == 1 && later_is_done() &&
			      message.text[0] == 'x');
	say("msgrcv without waiting",
	    msgrcv(queue, &message, sizeof(message.text), 0, IPC_NOWAIT) == -1 && errno == ENOMSG);
	if (msgctl(queue, IPC_STAT, &room))
		abort();
	room.msg_qbytes = 1;
	say("msgsnd", !msgctl(queue, IPC_SET, &room) && !send_message(&queue));
	later(take_message, &queue);
	say("msgsnd to a full queue", !send_message(&queue) && later_is_done());
	msgctl(queue, IPC_RMID, NULL);
}

static int send_posix(void *queue)
{
	return mq_send(*(mqd_t *)queue, "x", 1, 0);
}

static int take_posix(void *queue)
{
	char text[8];
	return mq_receive(*(mqd_t *)queue, text, sizeof(text), NULL) != 1;
}

static void call_posix_queues(void)
{
	struct mq_attr size = {.mq_maxmsg = 1, .mq_msgsize = 8};
	struct timespec far = in_ms(CLOCK_REALTIME, 60000), soon;
	char name[64];

	snprintf(name, sizeof(name), "/lever-calls-%d", getpid());
	mqd_t queue = mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, &size);
	mq_unlink(name);
	later(send_posix, &queue);
	say("mq_receive",
	    mq_receive(queue, letters, sizeof(letters), NULL) == 1 && later_is_done());
	later(send_posix, &queue);
	say("mq_timedreceive",
	    mq_timedreceive(queue, letters, sizeof(letters), NULL, &far) == 1 && later_is_done());
	soon = in_ms(CLOCK_REALTIME, 3);
	say("mq_timedreceive in time",
	    mq_timedreceive(queue, letters, sizeof(letters), NULL, &soon) == -1 &&
		    errno == ETIMEDOUT);
	say("mq_send", !mq_send(queue, "x", 1, 0));
	later(take_posix, &queue);
	say("mq_timedsend", !mq_timedsend(queue, "x", 1, 0, &far) && later_is_done());
	mq_close(queue);
}

static void call_disk(void)
{
	FILE *file = tmpfile(), *copy = tmpfile();
	int fd = fileno(file), other = fileno(copy);
	struct iovec part = {.iov_base = letters, .iov_len = 2};
	off64_t from = 0, to = 0;
	char path[64];

	memcpy(letters, "ab", 2);
	say("pwrite", pwrite(fd, "abcd", 4, 0) == 4);
	say("pwrite64", pwrite64(fd, "abcd", 4, 4) == 4);
	say("pwritev", pwritev(fd, &part, 1, 8) == 2);
	say("pwritev64", pwritev64(fd, &part, 1, 10) == 2);
	say("pread", pread(fd, letters, 2, 2) == 2 && !memcmp(letters, "cd", 2));
	say("pread64", pread64(fd, letters, 2, 4) == 2 && !memcmp(letters, "ab", 2));
	say("__pread_chk", __pread_chk(fd, letters, 2, 2, 2) == 2 && !memcmp(letters, "cd", 2));
	say("__pread64_chk", __pread64_chk(fd, letters, 2, 4, 2) == 2);
	say("preadv", preadv(fd, &part, 1, 6) == 2 && !memcmp(letters, "cd", 2));
	say("preadv64", preadv64(fd, &part, 1, 8) == 2 && !memcmp(letters, "ab", 2));
	say("pwritev2", pwritev2(fd, &part, 1, 12, 0) == 2);
	say("pwritev64v2", pwritev64v2(fd, &part, 1, 14, 0) == 2);
	say("preadv2", preadv2(fd, &part, 1, 6, 0) == 2 && !memcmp(letters, "cd", 2));
	say("preadv64v2", preadv64v2(fd, &part, 1, 12, 0) == 2 && !memcmp(letters, "ab", 2));
	say("fsync", !fsync(fd) && fsync(-1) == -1 && errno == EBADF);
	say("fdatasync", !fdatasync(fd));
	say("syncfs", !syncfs(fd));
	say("sync_file_range", !sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WRITE));
	say("copy_file_range", copy_file_range(fd, &from, other, &to, 4, 0) == 4);
	if (pipe(ends))
		abort();
	from = to = 0;
	say("sendfile64", sendfile64(ends[1], fd, &from, 4) == 4);
	say("sendfile", sendfile(ends[1], fd, NULL, 4) == 4);
	say("splice", splice(ends[0], NULL, other, &to, 8, 0) == 8);
	close(ends[0]);
	close(ends[1]);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	int again = open(path, O_RDWR);
	call_file_locks(fd, again);
	close(again);
	fclose(copy);
	say("fclose", !fclose(file));
}

/* `call` reads the line that comes; the stream's buffer is empty before. */
#define READS_LINE(name, call)                                                  \
	do {                                                                    \
		memset(letters, 0, sizeof(letters));                            \
		later(write_letter, xy);                                        \
		long answer = (long)(call);                                     \
		say(#name, later_is_done() && answer && letters[0] == 'x');     \
		while (letters[0] && letters[1] != 'y' && getc(stream) != '\n') \
			;                                                       \
	} while (0)

static void call_streams(void)
{
	/* Called by name, an optimizing compiler takes __getdelim and getc in their place. */
	ssize_t (*volatile line_of)(char **, size_t *, FILE *) = getline;
	int (*volatile character)(void) = getchar;
	char *line = NULL;
	size_t room = 0;
	int file;

	if (pipe(ends))
		abort();
	FILE *stream = fdopen(ends[0], "r"), *out = fdopen(ends[1], "w");
	READS_LINE(fread, fread(letters, 3, 1, stream));
	READS_LINE(__fread_chk, __fread_chk(letters, sizeof(letters), 3, 1, stream));
	READS_LINE(fgets, fgets(letters, sizeof(letters), stream) == letters);
	READS_LINE(__fgets_chk, __fgets_chk(letters, sizeof(letters), 9, stream) == letters);
	READS_LINE(fgetc, (letters[0] = (char)fgetc(stream)) == 'x');
	READS_LINE(getc, (letters[0] = (char)getc(stream)) == 'x');
	READS_LINE(getline, (line_of(&line, &room, stream) == 3 && strcpy(letters, line)));
	READS_LINE(getdelim, (getdelim(&line, &room, '\n', stream) == 3 && strcpy(letters, line)));
	READS_LINE(__getdelim,
		   (__getdelim(&line, &room, '\n', stream) == 3 && strcpy(letters, line)));
	say("fputs", fputs("ab", out) >= 0 && !fflush(out) && read(ends[0], letters, 9) == 2);
	say("fwrite",
	    fwrite("abc", 1, 3, out) == 3 && !fflush(NULL) && read(ends[0], letters, 9) == 3);
	say("fflush", !fflush(out) && fputs("z", out) >= 0 && !fflush(out) &&
			      read(ends[0], letters, 9) == 1 && letters[0] == 'z');
	write_letter(q);
	file = dup(0);
	dup2(ends[0], 0);
	say("getchar", character() == 'q');
	dup2(file, 0);
	close(file);
	free(line);
	fclose(out);
	say("fclose of a pipe", !fclose(stream));
}

void call_times(void)
{
	const struct timespec moment = {.tv_nsec = 2000000};
	struct timespec left = {0}, until = in_ms(CLOCK_MONOTONIC, 2), after;

	say("nanosleep", !nanosleep(&moment, &left) && !nanosleep(&moment, NULL));
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
	clock_gettime(CLOCK_MONOTONIC, &after);
	say("clock_nanosleep",
	    !clock_nanosleep(CLOCK_MONOTONIC, 0, &moment, &left) &&
		    (after.tv_sec > until.tv_sec || after.tv_nsec >= until.tv_nsec));
	say("usleep", !usleep(2000));
	say("sleep", !sleep(0) && !sleep(1));
	say("thrd_sleep", !thrd_sleep(&moment, &left));
}

void call_files(void)
{
	call_pipes();
	call_sockets();
	call_connections();
	call_disk();
	call_queues();
	call_posix_queues();
	call_streams();
}
