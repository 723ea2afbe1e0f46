package io.bulwark.transport.file;

import java.nio.file.FileSystemException;

/** A file changed while it was read, so that what was read of it may be a mixture of two states. */
public final class FileChangedException extends FileSystemException {
    private static final long serialVersionUID = 1L;

    FileChangedException(String file, String how) {
        super(file, null, how + " while it was read");
    }
}
