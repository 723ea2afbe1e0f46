/**
 * Work of a node for which nobody waits (lazy verification paper, 3.1 and 3.4, Prioritizing blocks): one scheduler, for scrubbers, which
 * re-read fragments at a configured rate, more slowly while clients are served, and for lazy verification, which uses idle time.
 */
@NullMarked
package io.bulwark.storage.background;

import org.jspecify.annotations.NullMarked;
