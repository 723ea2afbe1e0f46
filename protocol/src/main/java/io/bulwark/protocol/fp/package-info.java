/**
 * FP register: a linearizable read/write register per block. It tolerates f Byzantine nodes of its placement group and
 * any number of Byzantine clients with n = m + 2f nodes (thesis chapter 4, figures 4.2.2 and 4.2.3). docs/protocols/fp.md adds rules that go beyond the paper. Client and server are state machines without I/O.
 */
@NullMarked
package io.bulwark.protocol.fp;

import org.jspecify.annotations.NullMarked;
