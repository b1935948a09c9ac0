/* `next_row` of rows that a transcript is mostly made of, passed over at the speed of the memory.
 *
 * scan.py says what is proven, how and why, in a function of the same name that takes this one's place where no C
 * compiler was at hand; a test holds the two to the same answers. The figures and names here are those of scan.py.
 */
#define _GNU_SOURCE /* memmem */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdbool.h>
#include <string.h>

/* Loops that go over every byte are compiled twice; where the processor has the wider vectors, they are used. */
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__clang__)
#define VECTORS __attribute__((target_clones("avx2", "default")))
#else
#define VECTORS
#endif

enum { SKIP, DECODE, QUIET, END };

static const Py_ssize_t LONG = 8 << 20, NEAR = 2 << 10;

#define MESSAGE "\"message\":"
#define DENIED "toolDenialKind"
#define POINTER "[cchooks]"

/* Whether a text stands at a place, or right before one. */
#define STARTS(at, end, text) ((end) - (at) >= (Py_ssize_t)sizeof(text) - 1 && !memcmp(at, text, sizeof(text) - 1))
#define FOLLOWS(from, at, text)                                                                                        \
    ((at) - (from) >= (Py_ssize_t)sizeof(text) - 1 && !memcmp((at) - (sizeof(text) - 1), text, sizeof(text) - 1))

/* Whether a text stands anywhere between two places. */
#define HOLDS(from, to, text) (memmem(from, (size_t)((to) - (from)), text, sizeof(text) - 1) != NULL)

/* scan._glued */
VECTORS static bool glued(const char *from, const char *stop)
{
    unsigned char found = 0;
    for (const char *at = from + 2; at < stop; at++) {
        /* 0 behind a colon, a bracket or a comma: written so, the loop still compares many bytes at a time. */
        const unsigned char colon = at[-2] ^ ':', bracket = at[-2] ^ '[', comma = at[-2] ^ ',';
        const unsigned char either = colon < bracket ? colon : bracket, none = either < comma ? either : comma;
        found |= (at[0] == '"') & (at[-1] == '{') & (none != 0);
    }
    return found;
}

/* scan._told. Almost no row holds any of the three texts: two or three letters of each, at their distance from its last
 * one, are enough to see that, and a compiler makes of this loop one that compares many bytes at a time. On the way it
 * sees whether all is ASCII: `plain` is set to where that begins.
 */
VECTORS static bool told(const char *begin, const char *message, const char *stop, const char **plain)
{
    unsigned char any = 0, all = 0;
    for (const char *at = message; at < stop; at++) {
        all |= (unsigned char)at[0];
        any |= ((at[0] == ']') & (at[-8] == '[')) | ((at[-3] == 'K') & (at[-9] == 'D')) |
               ((at[0] == ':') & (at[-3] == 'g') & (at[-8] == 'm'));
    }
    if (all < 0x80)
        *plain = message;
    return HOLDS(begin, message, DENIED) || glued(stop - message > NEAR ? stop - NEAR : message, stop) ||
           (any && (HOLDS(message, stop, DENIED) || HOLDS(message, stop, MESSAGE) || HOLDS(message, stop, POINTER)));
}

/* Whether a row with no brace in it but those at its ends is of a type in `metadata`, a set of bytes; -1 on an error. */
static int is_metadata(const char *begin, PyObject *metadata)
{
    const char *name = begin + sizeof("{\"type\":\"") - 1, *end = name;
    while (Py_ISALNUM(*end) || *end == '_' || *end == '-')
        end++;
    if (*end != '"')
        return 0;
    PyObject *key = PyBytes_FromStringAndSize(name, end - name);
    int found = key == NULL ? -1 : PySet_Contains(metadata, key);
    Py_XDECREF(key);
    return found;
}

/* scan.look; -1 on an error. From `plain` on, where that is set, the row is ASCII. */
static int look(const char *begin, const char *stop, PyObject *metadata, const char **plain)
{
    if (*begin != '{' || stop[-1] != '}')
        return DECODE;
    const char *brace = memchr(begin + 1, '{', (size_t)(stop - begin - 1));
    if (brace == NULL) {
        const bool flat = STARTS(begin, stop, "{\"type\":\"") && memchr(begin, '}', (size_t)(stop - begin)) == stop - 1;
        const int known = flat ? is_metadata(begin, metadata) : 0;
        return known < 0 ? -1 : known ? SKIP : DECODE;
    }
    if (FOLLOWS(begin, brace, "\"type\":\"user\",\"message\":"))
        return told(begin, brace, stop, plain) ? DECODE : QUIET;
    if (FOLLOWS(begin, brace, "\"attachment\":") && STARTS(brace, stop, "{\"type\":\"") &&
        !STARTS(brace, stop, "{\"type\":\"hook_"))
        return glued(brace, stop) ? DECODE : SKIP;
    return DECODE;
}

/* How many bytes the well-formed UTF-8 sequence of a letter beyond ASCII has; 0 where there is none. Source: The Unicode
 * Standard, table 3-7.
 */
static int sequence(const unsigned char *at, const unsigned char *stop)
{
    const unsigned char lead = at[0];
    const int size = lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0;
    if (size == 0 || stop - at < size)
        return 0;
    const unsigned char low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    const unsigned char high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    if (at[1] < low || at[1] > high)
        return 0;
    for (int place = 2; place < size; place++)
        if ((at[place] & 0xC0) != 0x80)
            return 0;
    return size;
}

/* Whether bytes are UTF-8. Most are ASCII, of which many are seen at once. */
VECTORS static bool is_text(const unsigned char *at, const unsigned char *stop)
{
    while (at < stop) {
        const unsigned char *end = stop - at > 256 ? at + 256 : stop;
        unsigned char all = 0;
        for (const unsigned char *each = at; each < end; each++)
            all |= *each;
        if (all < 0x80)
            at = end;
        while (at < end) {
            const int size = *at < 0x80 ? 1 : sequence(at, stop);
            if (size == 0)
                return false;
            at += size;
        }
    }
    return true;
}

static PyObject *answer(int kind, bool text, Py_ssize_t begin, Py_ssize_t stop, Py_ssize_t passed)
{
    PyObject *made = PyTuple_New(5);
    const Py_ssize_t values[] = {kind, text, begin, stop, passed};
    for (Py_ssize_t place = 0; made != NULL && place < 5; place++) {
        PyObject *value = place == 1 ? PyBool_FromLong(text) : PyLong_FromSsize_t(values[place]);
        if (value == NULL)
            Py_CLEAR(made);
        else
            PyTuple_SET_ITEM(made, place, value);
    }
    return made;
}

static PyObject *next_row(PyObject *module, PyObject *const *given, Py_ssize_t count)
{
    (void)module;
    if (count != 5 || !PyByteArray_Check(given[0])) {
        PyErr_SetString(PyExc_TypeError, "expected a bytearray, begin, end, quiet and a set of bytes");
        return NULL;
    }
    Py_ssize_t begin = PyLong_AsSsize_t(given[1]), end = PyLong_AsSsize_t(given[2]), passed = 0;
    if (PyErr_Occurred())
        return NULL;
    if (begin < 0 || end > PyByteArray_GET_SIZE(given[0])) {
        PyErr_SetString(PyExc_IndexError, "begin and end must be inside of the block");
        return NULL;
    }
    const bool quiet = given[3] == Py_True;
    const char *block = PyByteArray_AS_STRING(given[0]);
    while (begin < end) {
        const char *from = block + begin, *stop = memchr(from, '\n', (size_t)(end - begin));
        if (stop == NULL)
            stop = block + end;
        const char *plain = stop;
        const int kind = look(from, stop, given[4], &plain);
        if (kind < 0)
            return NULL;
        const bool text = is_text((const unsigned char *)from, (const unsigned char *)plain);
        if (kind == DECODE || (kind == QUIET && !quiet) || !text || stop - from > LONG)
            return answer(kind, text, begin, stop - block, passed);
        begin = stop - block + 1;
        passed++;
    }
    return answer(END, true, end, end, passed);
}

static PyMethodDef methods[] = {
    {"next_row", (PyCFunction)(void (*)(void))next_row, METH_FASTCALL, "See scan.next_row."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_rows", NULL, 0, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__rows(void) { return PyModuleDef_Init(&definition); }
