package io.bulwark.transport.file;

import java.nio.file.FileSystemException;

/** A file changed while it was read, so that the bytes read may mix two states. */
public final class FileChangedException extends FileSystemException {
    private static final long serialVersionUID = 1L;

    public FileChangedException(String file, String how) {
        super(file, null, how + " while it was read");
    }
}
