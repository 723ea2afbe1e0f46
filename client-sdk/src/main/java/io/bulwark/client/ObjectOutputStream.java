package io.bulwark.client;

import java.io.OutputStream;

/**
 * Writes one object. Blocks leave as they fill; {@link #close} waits for the last and makes the object visible. After a
 * failure every further call fails, and so does closing: there is no object then. Not safe for use by several threads.
 */
public abstract class ObjectOutputStream extends OutputStream {
    @Override
    public abstract void write(byte[] source, int offset, int length);

    @Override
    public abstract void write(int value);

    /** Gives the object up; closing then does nothing. */
    public abstract void abort();

    /** Makes the object visible. Closing again does nothing. */
    @Override
    public abstract void close();

    /**
     * Returns the stored object.
     *
     * @throws IllegalStateException before the stream was closed with success
     */
    public abstract ObjectInfo result();
}
