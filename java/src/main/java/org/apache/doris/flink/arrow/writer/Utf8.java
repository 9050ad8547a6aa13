package org.apache.doris.flink.arrow.writer;

/** Java strings as UTF-8 without an array in between. */
final class Utf8 {
    private Utf8() {}

    /** The most bytes that a string of that many characters takes. */
    static long most(int chars) {
        return 3L * chars;
    }

    /**
     * Encodes into an array that is long enough; half a surrogate pair becomes {@code ?}, as {@link
     * String#getBytes} does it.
     *
     * @return the number of bytes
     */
    static int encode(String text, int from, byte[] to, int start) {
        int at = start;
        int length = text.length();
        for (int i = from; i < length; i++) {
            char c = text.charAt(i);
            if (c < 0x80) {
                to[at++] = (byte) c;
            } else if (c < 0x800) {
                to[at++] = (byte) (0xc0 | c >> 6);
                to[at++] = (byte) (0x80 | c & 0x3f);
            } else if (!Character.isSurrogate(c)) {
                to[at++] = (byte) (0xe0 | c >> 12);
                to[at++] = (byte) (0x80 | c >> 6 & 0x3f);
                to[at++] = (byte) (0x80 | c & 0x3f);
            } else if (Character.isHighSurrogate(c)
                    && i + 1 < length
                    && Character.isLowSurrogate(text.charAt(i + 1))) {
                int point = Character.toCodePoint(c, text.charAt(++i));
                to[at++] = (byte) (0xf0 | point >> 18);
                to[at++] = (byte) (0x80 | point >> 12 & 0x3f);
                to[at++] = (byte) (0x80 | point >> 6 & 0x3f);
                to[at++] = (byte) (0x80 | point & 0x3f);
            } else {
                to[at++] = '?';
            }
        }
        return at - start;
    }

    /** How many characters the string starts with that are ASCII; they are copied. */
    static int ascii(String text, byte[] to, int start) {
        int length = text.length();
        for (int i = 0; i < length; i++) {
            char c = text.charAt(i);
            if (c >= 0x80) {
                return i;
            }
            to[start + i] = (byte) c;
        }
        return length;
    }
}
