/* SPDX-License-Identifier: GPL-2.0-or-later */
/* File list: the open files of a process, those that moved most first. */
#include "ui/overlay.h"

#include <curses.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

#define WIDTH 100
/* Fewer columns have no room for descriptor, mode and position. */
#define WIDE       60
#define HEAD_LINES 3

/* Right edges of the columns of figures, from the left of the area. */
enum { MOVED_END = 10, POSITION_END = 19, DESCRIPTOR_END = 25 };
enum { MODE_AT = DESCRIPTOR_END + 1, PATH_AT = MODE_AT + 10 };

static const struct overlay self;

static void file_list_ask(struct ui *ui, const char *pid)
{
	ui->action->kind = ACTION_FILES;
	text_set(ui->action->device, pid);
	text_set(ui->action->job, ui->file_list.name);
}

void file_list_open(struct ui *ui, const char *pid, const char *name)
{
	struct file_list *l = &ui->file_list;

	memset(l, 0, sizeof(*l));
	text_set(l->pid, pid);
	text_set(l->name, name);
	ui->overlay = &self;
	file_list_ask(ui, pid);
}

/* The files of this process; NULL: not read yet. */
static const struct open_files *files_of(const struct ui *ui)
{
	return ui->view->files &&
			       !strcmp(ui->view->files->pid, ui->file_list.pid)
		       ? ui->view->files
		       : NULL;
}

/* Of a path that is too long, show the end. */
static void put_path(int y, int x, int cells, enum role role, const char *path)
{
	int left = screen_cells(path);

	if (cells < 1)
		return;
	if (left <= cells) {
		screen_put(y, x, cells, role, path);
		return;
	}
	while (*path && screen_cells(path) > cells - 1) {
		path++;
		/* Stop at the start of a character only. */
		while (((unsigned char)*path & 0xc0) == 0x80)
			path++;
	}
	screen_put(y, x, 1, role, "~");
	screen_put(y, x + 1, cells - 1, role, path);
}

static void file_list_draw_row(void *arg, size_t i, const struct area *a,
			       enum role role)
{
	const struct open_file *f = &files_of(arg)->file[i];
	int path_at = a->columns < WIDE ? MOVED_END + 1 : PATH_AT;
	char buf[32];

	if (role == ROLE_TEXT && !f->moved_bytes_per_s)
		role = ROLE_DIM;
	screen_right(a->top, a->left, MOVED_END, role,
		     f->moved_bytes_per_s == 0
			     ? "not moved"
			     : screen_bytes(f->moved_bytes_per_s).text);
	if (a->columns >= WIDE) {
		screen_right(a->top, a->left + MOVED_END,
			     POSITION_END - MOVED_END, role,
			     screen_bytes((double)f->position_bytes).text);
		snprintf(buf, sizeof(buf), "%d", f->descriptor);
		screen_right(a->top, a->left + POSITION_END,
			     DESCRIPTOR_END - POSITION_END, role, buf);
		screen_put(a->top, a->left + MODE_AT, PATH_AT - MODE_AT - 1,
			   role, f->mode);
	}
	put_path(a->top, a->left + path_at, a->columns - path_at - 1, role,
		 f->path);
}

/* The figures of the whole process, then the heads of the columns. */
static void file_list_draw_head(const struct ui *ui,
				const struct open_files *files,
				const struct area *a)
{
	const struct frame *f = ui->view->frame;
	char text[120];

	snprintf(text, sizeof(text), "block devices: %s/s read, %s/s written",
		 screen_bytes(frame_number(f, SCHEMA_TASK, files->pid,
					   "read_bytes_per_s"))
			 .text,
		 screen_bytes(frame_number(f, SCHEMA_TASK, files->pid,
					   "write_bytes_per_s"))
			 .text);
	overlay_put(a, 0, ROLE_TEXT, text);
	snprintf(text, sizeof(text),
		 "calls, also in the page cache: %s/s read, %s/s written",
		 screen_bytes(files->read_call_bytes_per_s).text,
		 screen_bytes(files->write_call_bytes_per_s).text);
	overlay_put(a, 1, ROLE_TEXT, text);
	screen_right(a->top + 2, a->left, MOVED_END, ROLE_DIM, "moved/s");
	if (a->columns < WIDE) {
		screen_put(a->top + 2, a->left + MOVED_END + 1, 4, ROLE_DIM,
			   "file");
		return;
	}
	screen_right(a->top + 2, a->left + MOVED_END, POSITION_END - MOVED_END,
		     ROLE_DIM, "position");
	screen_right(a->top + 2, a->left + POSITION_END,
		     DESCRIPTOR_END - POSITION_END, ROLE_DIM, "fd");
	screen_put(a->top + 2, a->left + MODE_AT, 4, ROLE_DIM, "mode");
	screen_put(a->top + 2, a->left + PATH_AT, 4, ROLE_DIM, "file");
}

/* The line below the list: the limits of its figures. */
static const char *foot(const struct open_files *files, char *buf, size_t size)
{
	*buf = '\0';
	for (size_t i = 0; i < files->n; i++)
		if (files->file[i].moved_bytes_per_s == 0)
			text_copy(buf, size,
				  "not moved: idle, or used by pread, pwrite, "
				  "mmap or async I/O. ");
	if (files->n_found > files->n)
		text_add(buf, size, "%zu of %zu files. ", files->n,
			 files->n_found);
	if (files->more_than)
		text_add(buf, size, "Only %zu descriptors were read.",
			 files->more_than);
	return buf;
}

static void file_list_draw(struct ui *ui)
{
	const struct open_files *files = files_of(ui);
	struct list *l = &ui->file_list.list;
	char title[120], end[200] = "";
	size_t n = files ? files->n : 0;
	struct area a;
	int below;

	snprintf(title, sizeof(title), "open files of process %s (%s)%.20s",
		 ui->file_list.pid, ui->file_list.name,
		 list_position(l, n).text);
	if (files && n)
		foot(files, end, sizeof(end));
	a = (struct area){ .columns = (COLS < WIDTH ? COLS : WIDTH) - 2 };
	below = *end ? overlay_lines(&a, end) : 0;
	a = overlay_box(n ? HEAD_LINES + (int)n + below : 4, WIDTH, title,
			"Up Down: scroll  Esc: back");
	if (!files) {
		overlay_put(&a, 0, ROLE_DIM, "(not read yet)");
		return;
	}
	if (*files->sentence) {
		overlay_wrap(&a, 0, 0, a.lines, ROLE_TEXT, files->sentence);
		return;
	}
	file_list_draw_head(ui, files, &a);
	if (!n)
		overlay_put(&a, HEAD_LINES, ROLE_DIM,
			    "(no regular file and no block device is open)");
	/* A low screen has room for the files, not for the lines below. */
	if (a.lines - HEAD_LINES - below < 2)
		below = 0;
	if (below)
		overlay_wrap(&a, a.lines - below, 0, a.lines, ROLE_DIM, end);
	a.top += HEAD_LINES;
	a.lines -= HEAD_LINES + below;
	list_draw(l, a, n, file_list_draw_row, ui);
}

static void file_list_take_key(struct ui *ui, int key)
{
	const struct open_files *files = files_of(ui);

	if (list_key(&ui->file_list.list, files ? files->n : 0, key,
		     LIST_LETTERS))
		return;
	if (key != 27 && key != 'o' && key != 'q' && key != '\r' &&
	    key != KEY_LEFT && key != KEY_F(10))
		return;
	ui->overlay = NULL;
	file_list_ask(ui, "");
}

/* A click selects a row. */
static void file_list_click(struct ui *ui, int y, int x)
{
	const struct open_files *files = files_of(ui);

	list_click(&ui->file_list.list, files ? files->n : 0, y, x);
}

static const struct overlay self = {
	.draw = file_list_draw,
	.key = file_list_take_key,
	.click = file_list_click,
};
