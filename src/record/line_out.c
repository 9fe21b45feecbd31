/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Line out: what was printed goes to the line writer in whole lines. */
#include "record/line_out.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/fail.h"
#include "record/line_writer.h"

struct line_out {
	struct line_writer *lines;
	FILE *text; /* a memory stream of buf */
	char *buf;
	size_t len;
	unsigned long lost;
};

int line_out_open(struct line_out **out)
{
	struct line_out *o;
	struct stat st;
	int err;

	*out = NULL;
	if (fstat(STDOUT_FILENO, &st) < 0)
		return fail(errno, "cannot write to stdout: %s",
			    strerror(errno));
	o = xcalloc(1, sizeof(*o));
	err = line_writer_new(&o->lines, STDOUT_FILENO, S_ISREG(st.st_mode),
			      false, "stdout");
	o->text = err ? NULL : open_memstream(&o->buf, &o->len);
	if (!err && !o->text)
		die("out of memory (stdout)");
	if (err)
		free(o);
	else
		*out = o;
	return err;
}

FILE *line_out_file(const struct line_out *out)
{
	return out->text;
}

int line_out_send(struct line_out *out)
{
	int err;

	fflush(out->text);
	if (!out->len)
		return 0;
	err = line_writer_put(out->lines, out->buf, out->len, LINE_DROPPABLE);
	if (err == -ENOBUFS) {
		for (size_t i = 0; i < out->len; i++)
			out->lost += out->buf[i] == '\n';
		err = 0;
	}
	rewind(out->text);
	out->len = 0;
	return err;
}

int line_out_close(struct line_out *out, bool hurry, unsigned long *lost)
{
	int err;

	*lost = 0;
	if (!out)
		return 0;
	if (hurry)
		line_writer_hurry(out->lines);
	err = line_out_send(out);
	if (!err)
		err = line_writer_put(out->lines, "", 0, LINE_AWAITED);
	*lost = out->lost;
	line_writer_free(out->lines);
	fclose(out->text);
	free(out->buf);
	free(out);
	return err;
}
