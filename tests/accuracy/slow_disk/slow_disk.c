/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * slow_disk - a file for a loop device; each write to it takes the same time, as on a slow disk.
 *
 * 	slow_disk IMAGE FOLDER MICROSECONDS
 *
 * IMAGE appears as FOLDER/disk, the only file of a FUSE file system. One request is served at a
 * time; writes are answered MICROSECONDS late, all other requests at once. Ends when FOLDER is
 * unmounted.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define FILE_NODE 2
#define WRITE_MOST (1u << 20)
#define FOREVER 1000000

static int device, image;
static uint64_t image_bytes;
static struct timespec delay;

static struct {
	struct fuse_in_header head;
	char rest[WRITE_MOST + 4096];
} request;

static void answer(int error, const void *data, size_t bytes)
{
	static char reply[sizeof(struct fuse_out_header) + WRITE_MOST];
	struct fuse_out_header head = {.len = (uint32_t)(sizeof(head) + bytes),
				       .error = -error,
				       .unique = request.head.unique};

	memcpy(reply, &head, sizeof(head));
	if (bytes)
		memcpy(reply + sizeof(head), data, bytes);
	if (write(device, reply, head.len) < 0 && errno != ENOENT)
		exit(1);
}

static struct fuse_attr attributes(uint64_t node)
{
	return (struct fuse_attr){.ino = node,
				  .size = node == FILE_NODE ? image_bytes : 0,
				  .mode = node == FILE_NODE ? S_IFREG | 0600 : S_IFDIR | 0700,
				  .nlink = 1,
				  .blksize = 4096};
}

static void look_up(const char *name)
{
	struct fuse_entry_out entry = {.nodeid = FILE_NODE,
				       .entry_valid = FOREVER,
				       .attr_valid = FOREVER,
				       .attr = attributes(FILE_NODE)};

	if (strcmp(name, "disk"))
		answer(ENOENT, NULL, 0);
	else
		answer(0, &entry, sizeof(entry));
}

static void tell_attributes(void)
{
	struct fuse_attr_out told = {.attr_valid = FOREVER,
				     .attr = attributes(request.head.nodeid)};

	answer(0, &told, sizeof(told));
}

static void begin(const struct fuse_init_in *asked)
{
	struct fuse_init_out told = {.major = FUSE_KERNEL_VERSION,
				     .minor = FUSE_KERNEL_MINOR_VERSION,
				     .max_readahead = asked->max_readahead,
				     .flags = asked->flags & (FUSE_ASYNC_DIO | FUSE_BIG_WRITES),
				     .max_background = 64,
				     .congestion_threshold = 48,
				     .max_write = WRITE_MOST / 8};

	answer(0, &told, sizeof(told));
}

static void read_image(const struct fuse_read_in *asked)
{
	static char data[WRITE_MOST];
	size_t bytes = asked->size < sizeof(data) ? asked->size : sizeof(data);
	ssize_t got = pread(image, data, bytes, (off_t)asked->offset);

	answer(got < 0 ? EIO : 0, data, got < 0 ? 0 : (size_t)got);
}

static void write_image(const struct fuse_write_in *asked)
{
	struct fuse_write_out told = {.size = asked->size};
	ssize_t put = pwrite(image, asked + 1, asked->size, (off_t)asked->offset);

	nanosleep(&delay, NULL);
	answer(put == (ssize_t)asked->size ? 0 : EIO, &told, put < 0 ? 0 : sizeof(told));
}

static void serve(void)
{
	const void *rest = request.rest;

	switch (request.head.opcode) {
	case FUSE_INIT:
		return begin(rest);
	case FUSE_LOOKUP:
		return look_up(rest);
	case FUSE_GETATTR:
	case FUSE_SETATTR:
		return tell_attributes();
	case FUSE_OPEN:
		return answer(0, &(struct fuse_open_out){0}, sizeof(struct fuse_open_out));
	case FUSE_READ:
		return read_image(rest);
	case FUSE_WRITE:
		return write_image(rest);
	case FUSE_STATFS:
		return answer(0, &(struct fuse_statfs_out){0}, sizeof(struct fuse_statfs_out));
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT:
		return; /* these have no answer */
	case FUSE_FLUSH:
	case FUSE_FSYNC:
	case FUSE_RELEASE:
		return answer(0, NULL, 0);
	default:
		return answer(ENOSYS, NULL, 0);
	}
}

static int begin_with(const char *path, const char *folder)
{
	struct stat status;
	char options[100];

	image = open(path, O_RDWR | O_CLOEXEC);
	device = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	if (image < 0 || device < 0 || fstat(image, &status))
		return -1;
	image_bytes = (uint64_t)status.st_size;
	snprintf(options, sizeof(options), "fd=%d,rootmode=40700,user_id=0,group_id=0", device);
	return mount("slow_disk", folder, "fuse", MS_NOSUID | MS_NODEV, options);
}

int main(int count, char **arguments)
{
	if (count != 4)
		return 2;
	long microseconds = atol(arguments[3]);
	delay = (struct timespec){microseconds / 1000000, microseconds % 1000000 * 1000};
	if (begin_with(arguments[1], arguments[2])) {
		perror("slow_disk");
		return 1;
	}
	prctl(PR_SET_TIMERSLACK, 1);
	for (;;) {
		ssize_t got = read(device, &request, sizeof(request));
		if (got >= (ssize_t)sizeof(request.head))
			serve();
		else if (errno != EINTR && errno != ENOENT)
			return errno != ENODEV; /* unmounted */
	}
}
