/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * nvtx - a program that was annotated for NVTX, by NVIDIA's own headers: all kinds of calls, in two
 * threads.
 */
#include <nvtx3/nvToolsExt.h>

#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static void sleep_ms(long ms)
{
	struct timespec time = {.tv_nsec = ms * 1000000};
	nanosleep(&time, NULL);
}

static void *end_range(void *range)
{
	nvtxNameOsThreadA((uint32_t)gettid(), "finisher");
	nvtxRangeEnd(*(nvtxRangeId_t *)range);
	return NULL;
}

static nvtxEventAttributes_t event_of(const char *text)
{
	nvtxEventAttributes_t event = {0};

	event.version = NVTX_VERSION;
	event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
	event.messageType = NVTX_MESSAGE_TYPE_ASCII;
	event.message.ascii = text;
	return event;
}

static void use_domain(void)
{
	nvtxDomainHandle_t domain = nvtxDomainCreateA("codec");
	nvtxStringHandle_t text = nvtxDomainRegisterStringA(domain, "decode");
	nvtxEventAttributes_t event = event_of(NULL);

	event.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
	event.message.registered = text;
	for (int i = 0; i < 5; i++) {
		event.payloadType = NVTX_PAYLOAD_TYPE_UNSIGNED_INT64;
		event.payload.ullValue = (uint64_t)i;
		nvtxDomainRangePushEx(domain, &event);
		nvtxRangePushA("default within");
		nvtxRangePop();
		nvtxDomainRangePop(domain);
	}
	event = event_of("lost packet");
	event.payloadType = NVTX_PAYLOAD_TYPE_INT32;
	event.payload.iValue = -3;
	nvtxDomainMarkEx(domain, &event);
	nvtxDomainDestroy(domain);
}

int main(void)
{
	pthread_t thread;

	for (int i = 0; i < 10; i++) {
		if (nvtxRangePushA("frame") > 0)
			return 1;
		nvtxRangePushW(L"na\u00efve caf\u00e9");
		sleep_ms(1);
		nvtxRangePop();
		nvtxRangePop();
	}
	nvtxMarkA("middle");
	nvtxRangeId_t range = nvtxRangeStartA("request");
	sleep_ms(5);
	pthread_create(&thread, NULL, end_range, &range);
	pthread_join(thread, NULL);
	use_domain();
	return nvtxRangePop() >= 0; /* nothing is open */
}
