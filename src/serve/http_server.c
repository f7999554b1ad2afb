/* SPDX-License-Identifier: BSD-2-Clause */
/* http_server - libmicrohttpd behind an interface without its types. */
#include "serve/http_server.h"

#include "base/cleanup.h"
#include "base/memory.h"

#include <errno.h>
#include <microhttpd.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#define CONNECTIONS_MOST 16
#define TIMEOUT_SECONDS 30
#define TOKEN_BYTES 16
#define BEARER "Bearer "

struct http_server {
	struct MHD_Daemon *daemon;
	char *token, *path; /* NULL: none is needed; not in the file system */
	http_handler *handler;
	void *context;
};

bool http_server_is_built(void)
{
	return true;
}

char *http_token_new(void)
{
	unsigned char bytes[TOKEN_BYTES];
	char text[2 * TOKEN_BYTES + 1];

	if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
		return NULL;
	for (size_t i = 0; i < sizeof(bytes); i++)
		snprintf(text + 2 * i, 3, "%02x", bytes[i]);
	return text_copy(text);
}

/* Takes the same time wherever the first difference is. */
static bool is_equal(const char *given, const char *token)
{
	size_t length = strlen(token);
	unsigned char difference = 0;

	if (strlen(given) != length)
		return false;
	for (size_t i = 0; i < length; i++)
		difference |= (unsigned char)(given[i] ^ token[i]);
	return !difference;
}

static bool has_token(struct MHD_Connection *connection, const char *token)
{
	const char *header = MHD_lookup_connection_value(connection, MHD_HEADER_KIND,
							 MHD_HTTP_HEADER_AUTHORIZATION);
	const char *parameter =
		MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "token");

	if (header && !strncmp(header, BEARER, strlen(BEARER)))
		return is_equal(header + strlen(BEARER), token);
	return parameter && is_equal(parameter, token);
}

const char *http_parameter(const struct http_request *request, const char *name)
{
	return MHD_lookup_connection_value(request->connection, MHD_GET_ARGUMENT_KIND, name);
}

void http_answer_text(struct http_response *response, unsigned status, char *text)
{
	*response = (struct http_response){.status = status,
					   .content = text,
					   .size = text ? strlen(text) : 0};
}

static enum MHD_Result send_response(struct MHD_Connection *connection,
				     struct http_response *response)
{
	struct MHD_Response *made =
		MHD_create_response_from_buffer(response->size, response->content,
						MHD_RESPMEM_MUST_FREE);

	if (!made)
		return MHD_NO;
	MHD_add_response_header(made, MHD_HTTP_HEADER_CONTENT_TYPE,
				response->type ? response->type : "text/plain; charset=utf-8");
	MHD_add_response_header(made, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
	MHD_add_response_header(made, "X-Content-Type-Options", "nosniff");
	MHD_add_response_header(made, "Referrer-Policy", "no-referrer");
	MHD_add_response_header(made, "X-Frame-Options", "DENY");
	if (response->status == MHD_HTTP_UNAUTHORIZED)
		MHD_add_response_header(made, MHD_HTTP_HEADER_WWW_AUTHENTICATE, "Bearer");
	enum MHD_Result result = MHD_queue_response(connection, response->status, made);
	MHD_destroy_response(made);
	return result;
}

/* Called once with the head, then with the content, which is ignored, then without. */
static enum MHD_Result answer_connection(void *context, struct MHD_Connection *connection,
					 const char *path, const char *method, const char *version,
					 const char *content, size_t *size, void **state)
{
	static char seen;
	const struct http_server *server = context;
	struct http_request request = {.path = path,
				       .is_post = !strcmp(method, MHD_HTTP_METHOD_POST),
				       .connection = connection};
	struct http_response response = {.status = MHD_HTTP_OK};

	(void)version;
	(void)content;
	if (!*state) {
		*state = &seen;
		return MHD_YES;
	}
	if (*size) {
		*size = 0;
		return MHD_YES;
	}
	if (server->token && !has_token(connection, server->token))
		http_answer_text(&response, MHD_HTTP_UNAUTHORIZED,
				 text_copy(
					 "the token is missing or wrong; it is in the address that "
					 "lever prints\n"));
	else if (!request.is_post && strcmp(method, MHD_HTTP_METHOD_GET) != 0 &&
		 strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
		http_answer_text(&response, MHD_HTTP_METHOD_NOT_ALLOWED,
				 text_copy("only GET, HEAD and POST\n"));
	else
		server->handler(server->context, &request, &response);
	return send_response(connection, &response);
}

int http_server_start(struct endpoint *address, const char *token, http_handler *handler,
		      void *context, struct http_server **server, struct error *error)
{
	int descriptor;

	if (endpoint_listen(address, &descriptor, error))
		return error->code;
	struct http_server *made = memory_new(1, sizeof(*made));
	*made = (struct http_server){.token = text_copy(token),
				     .path = address->is_path ? text_copy(address->host) : NULL,
				     .handler = handler,
				     .context = context};
	made->daemon = MHD_start_daemon(MHD_USE_INTERNAL_POLLING_THREAD, 0, NULL, NULL,
					answer_connection, made, MHD_OPTION_LISTEN_SOCKET,
					descriptor, MHD_OPTION_CONNECTION_LIMIT,
					(unsigned)CONNECTIONS_MOST, MHD_OPTION_CONNECTION_TIMEOUT,
					(unsigned)TIMEOUT_SECONDS, MHD_OPTION_END);
	if (!made->daemon) {
		close(descriptor);
		http_server_stop(made);
		return error_set(error, -EIO, "cannot start the HTTP server");
	}
	*server = made;
	return 0;
}

void http_server_stop(struct http_server *server)
{
	if (!server)
		return;
	if (server->daemon)
		MHD_stop_daemon(server->daemon);
	if (server->path)
		unlink(server->path);
	free(server->token);
	free(server->path);
	free(server);
}
