/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * schema - holds a JSON text against a JSON schema, as far as our schemas use the language: type,
 * const, enum, required, properties, additionalProperties: false, items, minimum, maximum, $ref.
 */
#pragma once

/* What is wrong with the text (or the schema), or NULL. Free it. */
char *schema_complaint(const char *schema_path, const char *text);
