/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * schema - validates a JSON text, with the keywords that our schemas use: type, const, enum,
 * required, properties, additionalProperties: false, items, minimum, maximum, $ref.
 */
#pragma once

/* The complaint about the text or the schema, or NULL. Free it. */
char *schema_complaint(const char *schema_path, const char *text);
