/**
 * The files that a user names. {@link io.bulwark.transport.file.OutputFile} writes them: whole or not at all, without harm to what
 * stands there. {@link io.bulwark.transport.file.SourceStream} reads them: as they were at one moment, or not at all.
 */
@NullMarked
package io.bulwark.transport.file;

import org.jspecify.annotations.NullMarked;
