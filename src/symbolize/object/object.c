/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * object - opens ELF files by libelf and libdwfl.
 *
 * Files come from outside: every number of a header is checked before it is used.
 */
#include "symbolize/object/object.h"

#include "base/cleanup.h"
#include "base/memory.h"
#include "symbolize/debug_fetch.h"
#include "symbolize/object/brokered.h"
#include "symbolize/object/jit_state.h"
#include "symbolize/object/private_copy.h"

#include <dwarf.h>
#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUILD_ID_MOST 64

/* In the parser, which has no network: by the engine (parser/broker.h). */
static int fetch_debug_file(Dwfl_Module *module, const char *path)
{
	const unsigned char *bits;
	GElf_Addr address;
	char hex[2 * BUILD_ID_MOST + 1] = "";
	int length = dwfl_module_build_id(module, &bits, &address);

	if (!broker_is_used() || length <= 0 || length > BUILD_ID_MOST)
		return -1;
	for (int i = 0; i < length; i++)
		snprintf(hex + 2 * i, 3, "%02x", bits[i]);
	if (*path != '/') /* [vdso] */
		return -1;
	AUTO(text) char *asked = text_format(BROKER_FETCH "%s%s", hex, path);
	return open(asked, O_RDONLY | O_CLOEXEC);
}

/* libdwfl calls this with the object as user data when it first needs the separate debug file. */
static int find_debug_file(Dwfl_Module *module, void **user, const char *name, Dwarf_Addr base,
			   const char *file, const char *link, GElf_Word crc, char **found)
{
	const struct object *object = *user;
	bool in_scope = object && object->shown.in_scope;

	broker_refuse(object ? object->shown.path : NULL);
	int fd = (in_scope ? dwfl_standard_find_debuginfo :
			     dwfl_build_id_find_debuginfo)(module, user, name, base, file, link,
							   crc, found);
	broker_refuse(NULL);
	if (fd < 0 && in_scope)
		fd = fetch_debug_file(module, object->shown.path);
	if (fd < 0 || !private_copy(&fd))
		return fd;
	close(fd);
	return -1;
}

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = find_debug_file,
	.section_address = dwfl_offline_section_address,
};

static int check_header(int fd, const char *path, bool *is_32_bit, struct error *error)
{
	union {
		unsigned char ident[EI_NIDENT];
		Elf64_Ehdr header; /* e_type has the same offset in both classes */
	} start = {0};
	struct stat status;

	if (fstat(fd, &status) != 0)
		return error_set(error, errno, "cannot read %s: %s", path, strerror(errno));
	if (!S_ISREG(status.st_mode))
		return error_set(error, ENOEXEC, "%s is not a file", path);
	ssize_t length = pread(fd, &start, sizeof(start), 0);
	if (length < 0)
		return error_set(error, errno, "cannot read %s: %s", path, strerror(errno));
	if (length < EI_NIDENT || memcmp(start.ident, ELFMAG, SELFMAG) != 0)
		return error_set(error, ENOEXEC,
				 "%s is not an ELF binary; if it is a script, name its interpreter",
				 path);
	if (start.ident[EI_DATA] != ELFDATA2LSB)
		return error_set(error, ENOEXEC, "%s is a binary of another byte order", path);
	if (start.header.e_type != ET_EXEC && start.header.e_type != ET_DYN)
		return error_set(error, ENOEXEC, "%s is neither a program nor a library", path);
	*is_32_bit = start.ident[EI_CLASS] == ELFCLASS32;
	return 0;
}

static int read_segments(struct object *object, uint64_t file_size, struct error *error)
{
	size_t count = 0;

	if (elf_getphdrnum(object->elf, &count) != 0)
		count = 0;
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr header;
		if (!gelf_getphdr(object->elf, (int)i, &header) || header.p_type != PT_LOAD)
			continue;
		if (header.p_offset > file_size || header.p_filesz > file_size - header.p_offset ||
		    header.p_filesz > UINT64_MAX - header.p_vaddr)
			return error_set(error, ENOEXEC,
					 "%s is damaged: a segment lies beyond the end of the file",
					 object->shown.path);
		*array_add(&object->segments) = (struct segment){
			.address = header.p_vaddr,
			.offset = header.p_offset,
			.size = header.p_filesz,
			.memory_size = header.p_memsz,
			.executable = header.p_flags & PF_X,
			.writable = header.p_flags & PF_W,
		};
	}
	if (object->segments.count == 0)
		return error_set(error, ENOEXEC, "%s is damaged: it has no segments to load",
				 object->shown.path);
	return 0;
}

/* Adds the offsets of [start, end) within executable segments. */
static void add_executable(struct object *object, uint64_t start, uint64_t end)
{
	for (size_t i = 0; i < object->segments.count; i++) {
		const struct segment *segment = &object->segments.items[i];
		uint64_t segment_end = segment->address + segment->size;
		uint64_t from = start > segment->address ? start : segment->address;
		uint64_t to = end < segment_end ? end : segment_end;
		if (segment->executable && from < to)
			ranges_add(&object->code, from - segment->address + segment->offset,
				   to - segment->address + segment->offset);
	}
}

/*
 * Code is in the executable sections, without read-only data of the same segment and without the
 * procedure linkage table, whose time belongs to the caller. Without sections: in the executable
 * segments.
 */
static void read_code(struct object *object)
{
	size_t names = 0;
	Elf_Scn *section = NULL;

	if (elf_getshdrstrndx(object->elf, &names) != 0)
		names = 0;
	while ((section = elf_nextscn(object->elf, section))) {
		GElf_Shdr header;
		if (!gelf_getshdr(section, &header) || !(header.sh_flags & SHF_EXECINSTR) ||
		    header.sh_type != SHT_PROGBITS || header.sh_size > UINT64_MAX - header.sh_addr)
			continue;
		const char *name = names ? elf_strptr(object->elf, names, header.sh_name) : NULL;
		if (!name || strncmp(name, ".plt", 4) != 0)
			add_executable(object, header.sh_addr, header.sh_addr + header.sh_size);
	}
	for (size_t i = 0; object->code.count == 0 && i < object->segments.count; i++) {
		const struct segment *segment = &object->segments.items[i];
		if (segment->executable)
			add_executable(object, segment->address, segment->address + segment->size);
	}
	ranges_merge(&object->code);
}

static void read_build_id(struct object *object)
{
	const void *bits = NULL;
	ssize_t length = dwelf_elf_gnu_build_id(object->elf, &bits);
	char text[129] = "";

	for (ssize_t i = 0; i < length && i < 64; i++)
		snprintf(text + 2 * i, 3, "%02x", ((const unsigned char *)bits)[i]);
	object->shown.build_id = text_copy(text);
}

static Elf_Scn *find_section(Elf *elf, const char *name, GElf_Shdr *header)
{
	size_t names = 0;
	Elf_Scn *section = NULL;

	if (!elf || elf_getshdrstrndx(elf, &names) != 0)
		return NULL;
	while ((section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, header) || header->sh_type == SHT_NOBITS)
			continue;
		const char *own = elf_strptr(elf, names, header->sh_name);
		if (own && strcmp(own, name) == 0)
			return section;
	}
	return NULL;
}

static bool has_lines(Elf *elf)
{
	GElf_Shdr header;
	return find_section(elf, ".debug_line", &header) ||
	       find_section(elf, ".zdebug_line", &header);
}

static bool finds_debug_file(const struct object *object, Dwfl_Module *module, Elf *elf)
{
	GElf_Word crc = 0;
	const char *link = elf ? dwelf_elf_gnu_debuglink(elf, &crc) : NULL;
	AUTO(text) char *found = NULL;
	void *user = (void *)object;
	AUTO(fd)
	int fd = find_debug_file(module, &user, object->shown.path, 0, object->shown.path, link,
				 crc, &found);
	if (fd < 0)
		return false;
	Elf *debug = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	bool has = has_lines(debug);
	elf_end(debug);
	return has;
}

/*
 * Is there a separate file with debug information? A second module is used for the search: libdwfl
 * 0.188 gets the addresses of a module's debug file wrong after a search by its user.
 */
static bool has_debug_file(const struct object *object, int *fd)
{
	Dwfl *dwfl = dwfl_begin(&callbacks);
	Dwfl_Module *module =
		dwfl ? dwfl_report_offline(dwfl, object->shown.path, object->shown.path, *fd) :
		       NULL;
	bool has = false;

	if (module) {
		GElf_Addr bias;
		*fd = -1; /* the module's now */
		dwfl_report_end(dwfl, NULL, NULL);
		if (object->shown.in_scope)
			debug_fetch_watch(dwfl, object->shown.path);
		has = finds_debug_file(object, module, dwfl_module_getelf(module, &bias));
	}
	dwfl_end(dwfl);
	return has;
}

static bool is_function(const GElf_Sym *symbol)
{
	if (symbol->st_shndx == SHN_UNDEF || symbol->st_shndx == SHN_ABS)
		return false;
	return GELF_ST_TYPE(symbol->st_info) == STT_FUNC;
}

/* Calls `match` for the symbols of a table until it returns true; returns whether it did. */
static bool table_any(const struct object *object, GElf_Word type,
		      bool (*match)(const GElf_Sym *symbol, const char *name, const void *context),
		      const void *context)
{
	Elf_Scn *section = NULL;

	while ((section = elf_nextscn(object->elf, section))) {
		GElf_Shdr header;
		Elf_Data *symbols;
		if (!gelf_getshdr(section, &header) || header.sh_type != type ||
		    header.sh_entsize == 0 || !(symbols = elf_getdata(section, NULL)))
			continue;
		size_t count = symbols->d_size / header.sh_entsize;
		for (size_t i = 1; i < count && i < INT32_MAX; i++) {
			GElf_Sym symbol;
			if (!gelf_getsym(symbols, (int)i, &symbol))
				break;
			const char *name = elf_strptr(object->elf, header.sh_link, symbol.st_name);
			if (name && match(&symbol, name, context))
				return true;
		}
	}
	return false;
}

static bool match_function(const GElf_Sym *symbol, const char *name, const void *context)
{
	(void)context;
	return is_function(symbol) && name[0];
}

static bool match_name(const GElf_Sym *symbol, const char *name, const void *context)
{
	(void)symbol;
	return strcmp(name, context) == 0;
}

/* Hands the file to libdwfl, which takes the descriptor when it succeeds. */
static int open_module(struct object *object, int *fd, struct error *error)
{
	GElf_Addr bias = 0;

	object->dwfl = dwfl_begin(&callbacks);
	if (object->dwfl)
		object->module = dwfl_report_offline(object->dwfl, object->shown.path,
						     object->shown.path, *fd);
	if (!object->module)
		return error_set(error, ENOEXEC, "%s cannot be read as an ELF binary: %s",
				 object->shown.path, dwfl_errmsg(-1));
	*fd = -1;
	void **user = NULL;
	dwfl_module_info(object->module, &user, NULL, NULL, NULL, NULL, NULL, NULL);
	*user = object;
	dwfl_report_end(object->dwfl, NULL, NULL);
	object->elf = dwfl_module_getelf(object->module, &bias);
	object->bias = bias;
	if (!object->elf || elf_kind(object->elf) != ELF_K_ELF)
		return error_set(error, ENOEXEC, "%s cannot be read as an ELF binary: %s",
				 object->shown.path, dwfl_errmsg(-1));
	return 0;
}

static int read_headers(struct object *object, int *fd, struct error *error)
{
	struct stat status;
	AUTO(fd) int copy = dup(*fd);

	if (check_header(*fd, object->shown.path, &object->shown.is_32_bit, error) != 0)
		return error->code;
	if (fstat(*fd, &status) != 0)
		return error_set(error, errno, "cannot read %s", object->shown.path);
	if (open_module(object, fd, error) != 0 ||
	    read_segments(object, (uint64_t)status.st_size, error) != 0)
		return error->code;
	read_code(object);
	free((char *)object->shown.build_id);
	read_build_id(object);
	object->shown.has_lines = has_lines(object->elf);
	bool separate = !object->shown.has_lines && has_debug_file(object, &copy);
	object->shown.has_lines |= separate;
	object->shown.has_symbols = separate ||
				    table_any(object, SHT_SYMTAB, match_function, NULL) ||
				    table_any(object, SHT_DYNSYM, match_function, NULL);
	return 0;
}

struct object *object_new(const char *path)
{
	struct object *object = memory_new(1, sizeof(*object));
	object->shown.path = text_copy(path);
	object->shown.build_id = text_copy("");
	object->shown.fd = -1;
	return object;
}

int object_read(const char *path, struct object_file *file, bool in_scope, struct object **object,
		struct error *error)
{
	struct error local;
	if (!error)
		error = &local;
	elf_version(EV_CURRENT);
	struct object *opened = object_new(path);
	opened->shown.in_scope = in_scope;
	opened->shown.fd = file->identity;
	opened->shown.open_path = file->open_path;
	opened->device = file->device;
	opened->inode = file->inode;
	file->identity = -1;
	file->open_path = NULL;
	if (read_headers(opened, &file->content, error) != 0) {
		object_free(opened);
		return error->code;
	}
	*object = opened;
	return 0;
}

void object_forget(struct object *object)
{
	symtab_clear(&object->symtab);
	for (size_t i = 0; i < object->variables.count; i++)
		free(object->variables.items[i].name);
	array_free(&object->variables);
	array_free(&object->imports);
	ranges_clear(&object->code);
	ranges_clear(&object->scope_ranges);
	array_free(&object->segments);
	if (object->dwfl)
		dwfl_end(object->dwfl);
	object->dwfl = NULL;
	object->module = NULL;
	object->elf = NULL;
	object->debug = NULL;
	object->is_forgotten = true;
	if (object->shown.fd >= 0)
		close(object->shown.fd);
	object->shown.fd = -1;
}

void object_free(struct object *object)
{
	if (!object)
		return;
	jit_state_free(object->jit);
	object_forget(object);
	free((char *)object->shown.path);
	free((char *)object->shown.build_id);
	free((char *)object->shown.open_path);
	free(object);
}

bool object_offset(const struct object *object, uint64_t address, uint64_t *offset)
{
	for (size_t i = 0; i < object->segments.count; i++) {
		const struct segment *segment = &object->segments.items[i];
		if (address >= segment->address && address - segment->address < segment->size) {
			*offset = address - segment->address + segment->offset;
			return true;
		}
	}
	return false;
}

bool object_address(const struct object *object, uint64_t offset, uint64_t *address)
{
	for (size_t i = 0; i < object->segments.count; i++) {
		const struct segment *segment = &object->segments.items[i];
		if (offset >= segment->offset && offset - segment->offset < segment->size) {
			*address = offset - segment->offset + segment->address;
			return true;
		}
	}
	return false;
}

void object_code(const struct object *object, uint64_t start, uint64_t end, struct ranges *result)
{
	uint64_t offset;
	if (start < end && object_offset(object, start, &offset) &&
	    end - start <= UINT64_MAX - offset)
		ranges_clip(&object->code, offset, offset + (end - start), result);
}

bool object_has_code(const struct object *object, uint64_t address)
{
	uint64_t offset;
	return object_offset(object, address, &offset) && ranges_has(&object->code, offset);
}

Dwarf *object_debug(struct object *object)
{
	Dwarf_Addr bias = 0;

	if (object->has_read_debug || !object->module)
		return object->debug;
	object->has_read_debug = true;
	if (!object->shown.has_lines)
		return NULL;
	object->debug = dwfl_module_getdwarf(object->module, &bias);
	object->debug_bias = (int64_t)(bias - object->bias);
	return object->debug;
}

Elf_Data *object_section(Elf *elf, const char *name, GElf_Shdr *header)
{
	Elf_Scn *section = find_section(elf, name, header);
	return section ? elf_getdata(section, NULL) : NULL;
}

/* libdw has decompressed the section, but maybe left its old name. */
Elf_Data *object_debug_section(Elf *elf, const char *name)
{
	GElf_Shdr header;
	AUTO(text) char *usual = text_format(".debug_%s", name);
	AUTO(text) char *old = text_format(".zdebug_%s", name);
	Elf_Data *data = object_section(elf, usual, &header);
	if (!data)
		data = object_section(elf, old, &header);
	return data && !(header.sh_flags & SHF_COMPRESSED) && data->d_buf ? data : NULL;
}

/* Is the text a string constant of the object, as for dlsym? */
static bool has_constant(const struct object *object, const char *text)
{
	GElf_Shdr header;
	Elf_Data *constants = object_section(object->elf, ".rodata", &header);
	size_t length = strlen(text) + 1;
	const char *at = constants ? constants->d_buf : NULL;
	const char *start = at, *end = at ? at + constants->d_size : NULL;

	while (at && (at = memmem(at, (size_t)(end - at), text, length))) {
		if (at == start || !at[-1])
			return true;
		at++;
	}
	return false;
}

bool object_references(const struct object *object, const char *symbol)
{
	if (!object->elf)
		return false;
	GElf_Shdr header;
	bool is_dynamic = object_section(object->elf, ".dynsym", &header) != NULL;
	return table_any(object, is_dynamic ? SHT_DYNSYM : SHT_SYMTAB, match_name, symbol) ||
	       has_constant(object, symbol);
}
