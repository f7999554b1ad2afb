/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * http_server - answers requests of this machine, one after the other, in a thread of its own.
 *
 * A request needs the token, as "Authorization: Bearer TOKEN" or as the parameter `token`; on a
 * socket in the file system the file's mode decides who may ask, and no token is needed. A build
 * without libmicrohttpd has no server.
 */
#pragma once

#include "base/error.h"
#include "serve/endpoint.h"

#include <stddef.h>

struct http_request {
	const char *path; /* "/metrics" */
	bool is_post;     /* else GET or HEAD */
	void *connection; /* for http_parameter */
};

struct http_response {
	unsigned status;  /* 200 */
	const char *type; /* of the content; NULL: text/plain */
	char *content;    /* taken */
	size_t size;
};

typedef void http_handler(void *context, const struct http_request *request,
			  struct http_response *response);

struct http_server;

bool http_server_is_built(void);
/* A random token of 128 bits, as a text; to be freed. */
char *http_token_new(void);
/* Listens; the address gets its port. `token` NULL: none is needed. */
int http_server_start(struct endpoint *address, const char *token, http_handler *handler,
		      void *context, struct http_server **server, struct error *error);
/* Waits for the request that is being answered. */
void http_server_stop(struct http_server *server);
/* Of the part behind "?"; decoded; NULL: it is not there. */
const char *http_parameter(const struct http_request *request, const char *name);
/* A sentence as the whole answer; the text is taken. */
void http_answer_text(struct http_response *response, unsigned status, char *text);
