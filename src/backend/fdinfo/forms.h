/* The forms of a text beside the standard one. */
#ifndef GWTOP_BACKEND_FDINFO_FORMS_H
#define GWTOP_BACKEND_FDINFO_FORMS_H

#include "fdinfo.h"

/* percent.c: a text that names no driver. Either amdgpu as of Linux 5.14 to 5.18, or nothing of
 * ours: then all lines are ignored. */
void fdinfo_decode_without_driver(const struct subject *s, const struct frame *f,
                                  const struct sink *sink, struct counts *counts);
/* True for a text in amdgpu's first form. */
bool fdinfo_is_percent_form(struct span text, struct span *pdev);

#endif
