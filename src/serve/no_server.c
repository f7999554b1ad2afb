/* SPDX-License-Identifier: BSD-2-Clause */
/* no_server - http_server of a build without libmicrohttpd. */
#include "serve/http_server.h"

#include <errno.h>
#include <stdlib.h>

bool http_server_is_built(void)
{
	return false;
}

char *http_token_new(void)
{
	return NULL;
}

int http_server_start(struct endpoint *address, const char *token, http_handler *handler,
		      void *context, struct http_server **server, struct error *error)
{
	(void)address, (void)token, (void)handler, (void)context, (void)server;
	return error_set(error, -ENOTSUP,
			 "this lever was built without its HTTP server; install libmicrohttpd-dev "
			 "and run `make` again");
}

void http_server_stop(struct http_server *server)
{
	(void)server;
}

const char *http_parameter(const struct http_request *request, const char *name)
{
	(void)request, (void)name;
	return NULL;
}

void http_answer_text(struct http_response *response, unsigned status, char *text)
{
	*response = (struct http_response){.status = status, .content = text};
}
