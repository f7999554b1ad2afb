// SPDX-License-Identifier: BSD-2-Clause
/*
 * wire - a cable between two network namespaces that delays each packet, for kernels without netem.
 *
 *     wire NAMESPACE DEVICE NAMESPACE DEVICE MICROSECONDS
 *
 * Makes a tun device in each namespace, prints "ready", and carries packets until its input ends.
 */
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#define QUEUED_MOST 1024
#define PACKET_BYTES 65536

struct packet {
	uint64_t due_ns;
	ssize_t size;
	char *data;
};

struct way {
	int from, to;
	unsigned first, count;
	struct packet packets[QUEUED_MOST];
};

static uint64_t now_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static int open_device(const char *namespace, const char *name)
{
	struct ifreq request = {.ifr_flags = IFF_TUN | IFF_NO_PI};
	char path[128];

	snprintf(path, sizeof(path), "/run/netns/%s", namespace);
	snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", name);
	int space = open(path, O_RDONLY);
	if (space < 0 || setns(space, CLONE_NEWNET))
		return -1;
	int device = open("/dev/net/tun", O_RDWR | O_NONBLOCK);
	if (device >= 0 && ioctl(device, TUNSETIFF, &request))
		return -1;
	return device;
}

static void take(struct way *way, uint64_t delay_ns)
{
	static char data[PACKET_BYTES];
	ssize_t size;

	while (way->count < QUEUED_MOST && (size = read(way->from, data, sizeof(data))) > 0) {
		struct packet *packet = &way->packets[(way->first + way->count++) % QUEUED_MOST];
		*packet = (struct packet){now_ns() + delay_ns, size, malloc((size_t)size)};
		memcpy(packet->data, data, (size_t)size);
	}
}

/* Returns when the next packet is due. */
static uint64_t give(struct way *way)
{
	while (way->count) {
		struct packet *packet = &way->packets[way->first];
		if (packet->due_ns > now_ns())
			return packet->due_ns;
		if (write(way->to, packet->data, (size_t)packet->size) < 0) {
			/* Lost, as on a cable that is unplugged. */
		}
		free(packet->data);
		way->first = (way->first + 1) % QUEUED_MOST;
		way->count--;
	}
	return UINT64_MAX;
}

int main(int count, char **arguments)
{
	static struct way ways[2];
	const struct sched_param priority = {.sched_priority = 50};

	if (count != 6)
		return 2;
	int a = open_device(arguments[1], arguments[2]),
	    b = open_device(arguments[3], arguments[4]);
	uint64_t delay_ns = strtoull(arguments[5], NULL, 10) * 1000;
	if (a < 0 || b < 0) {
		perror("wire");
		return 1;
	}
	sched_setscheduler(0, SCHED_FIFO, &priority); /* less exact without that right */
	puts("ready");
	fflush(stdout);
	ways[0].from = ways[1].to = a;
	ways[1].from = ways[0].to = b;
	for (;;) {
		uint64_t first = give(&ways[0]), second = give(&ways[1]);
		uint64_t due = first < second ? first : second, now = now_ns();
		uint64_t left = due == UINT64_MAX ? 1000000000 : due > now ? due - now : 0;
		struct timespec wait = {(time_t)(left / 1000000000), (long)(left % 1000000000)};
		struct pollfd ready[] = {{a, POLLIN, 0}, {b, POLLIN, 0}, {STDIN_FILENO, POLLIN, 0}};
		ppoll(ready, 3, &wait, NULL);
		if (ready[2].revents)
			return 0;
		take(&ways[0], delay_ns);
		take(&ways[1], delay_ns);
	}
}
