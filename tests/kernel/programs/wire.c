// SPDX-License-Identifier: BSD-2-Clause
/*
 * wire - a cable between network namespaces that delays each packet, for kernels without netem.
 *
 *     wire MICROSECONDS NAMESPACE DEVICE ADDRESS NAMESPACE DEVICE ADDRESS ...
 *
 * Makes a tun device in each namespace, prints "ready", and carries packets to the host with their
 * IPv4 address, or with one of IPv6 that ends with it, until its input ends.
 */
#include <arpa/inet.h>
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

#define HOSTS_MOST 16
#define QUEUED_MOST 4096
#define PACKET_BYTES 65536
#define DESTINATION 16     /* offset in an IPv4 header */
#define DESTINATION_SIX 36 /* the last four bytes, in one of IPv6 */

struct packet {
	uint64_t due_ns;
	int to;
	ssize_t size;
	char *data;
};

struct wire {
	int devices[HOSTS_MOST];
	uint32_t addresses[HOSTS_MOST];
	int hosts;
	uint64_t delay_ns;
	unsigned first, count;
	struct packet packets[QUEUED_MOST]; /* in the order in which they are due */
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

static int device_to(const struct wire *wire, const char *data, ssize_t size)
{
	int at = data[0] >> 4 == 6 ? DESTINATION_SIX : DESTINATION;
	uint32_t address;

	if (size < at + (ssize_t)sizeof(address))
		return -1;
	memcpy(&address, data + at, sizeof(address));
	for (int i = 0; i < wire->hosts; i++)
		if (wire->addresses[i] == address)
			return wire->devices[i];
	return -1;
}

static void take(struct wire *wire, int from)
{
	static char data[PACKET_BYTES];
	ssize_t size;

	while (wire->count < QUEUED_MOST && (size = read(from, data, sizeof(data))) > 0) {
		int to = device_to(wire, data, size);
		if (to < 0)
			continue;
		struct packet *packet = &wire->packets[(wire->first + wire->count++) % QUEUED_MOST];
		*packet =
			(struct packet){now_ns() + wire->delay_ns, to, size, malloc((size_t)size)};
		memcpy(packet->data, data, (size_t)size);
	}
}

/* Returns when the next packet is due. */
static uint64_t give(struct wire *wire)
{
	while (wire->count) {
		struct packet *packet = &wire->packets[wire->first];
		if (packet->due_ns > now_ns())
			return packet->due_ns;
		if (write(packet->to, packet->data, (size_t)packet->size) < 0) {
			/* Lost, as on a cable that is unplugged. */
		}
		free(packet->data);
		wire->first = (wire->first + 1) % QUEUED_MOST;
		wire->count--;
	}
	return UINT64_MAX;
}

static void carry(struct wire *wire)
{
	struct pollfd ready[HOSTS_MOST + 1] = {{STDIN_FILENO, POLLIN, 0}};

	for (int i = 0; i < wire->hosts; i++)
		ready[i + 1] = (struct pollfd){wire->devices[i], POLLIN, 0};
	while (!ready[0].revents) {
		uint64_t due = give(wire), now = now_ns();
		uint64_t left = due == UINT64_MAX ? 1000000000 : due > now ? due - now : 0;
		struct timespec wait = {(time_t)(left / 1000000000), (long)(left % 1000000000)};
		ppoll(ready, (nfds_t)wire->hosts + 1, &wait, NULL);
		for (int i = 0; i < wire->hosts; i++)
			take(wire, wire->devices[i]);
	}
}

int main(int count, char **arguments)
{
	static struct wire wire;
	const struct sched_param priority = {.sched_priority = 50};

	wire.hosts = (count - 2) / 3;
	if (wire.hosts < 2 || wire.hosts > HOSTS_MOST || count != 2 + 3 * wire.hosts)
		return 2;
	wire.delay_ns = strtoull(arguments[1], NULL, 10) * 1000;
	for (int i = 0; i < wire.hosts; i++) {
		char **host = arguments + 2 + 3 * i;
		wire.devices[i] = open_device(host[0], host[1]);
		if (wire.devices[i] < 0 || inet_pton(AF_INET, host[2], &wire.addresses[i]) != 1) {
			perror("wire");
			return 1;
		}
	}
	sched_setscheduler(0, SCHED_FIFO, &priority); /* less exact without that right */
	puts("ready");
	fflush(stdout);
	carry(&wire);
	return 0;
}
