/* SPDX-License-Identifier: BSD-2-Clause */
/* calls_files - of the program calls: waiting for time, for pipes, sockets, files and streams. */
#include "calls.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
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

static int unlock_file(void *fd)
{
	return flock(*(int *)fd, LOCK_UN);
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
	flock(again, LOCK_EX);
	later(unlock_file, &again);
	say("flock", !flock(fd, LOCK_EX) && later_is_done());
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
	call_streams();
}
