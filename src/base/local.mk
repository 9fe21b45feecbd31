# The ground: knows nothing of disks.
core_sources += \
	base/alloc.c base/alloc.h \
	base/attributes.h \
	base/clock.c base/clock.h \
	base/descriptor.c base/descriptor.h \
	base/fail.c base/fail.h \
	base/json.c base/json.h \
	base/json_writer.c \
	base/kernel.h \
	base/random.h \
	base/role.c base/role.h \
	base/root.c base/root.h \
	base/sandbox.c base/sandbox.h \
	base/sha256.c base/sha256.h \
	base/side_file.c base/side_file.h \
	base/text.c base/text.h \
	base/text_shell.c \
	base/units.c base/units.h \
	base/xml.c base/xml.h
