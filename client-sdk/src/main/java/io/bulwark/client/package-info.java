/**
 * The Java SDK. {@link io.bulwark.client.Bulwark#connect} returns a client; a {@link io.bulwark.client.Bucket} keeps
 * named, versioned objects, a {@link io.bulwark.client.Volume} fixed-size blocks that are linearizable read/write
 * registers. A read returns what was written, or an error. This holds while at most f nodes of a placement group and f
 * of 3f+1 metadata replicas fail or lie (docs/protocols/extents.md; thesis 4.2).
 */
@NullMarked
package io.bulwark.client;

import org.jspecify.annotations.NullMarked;
