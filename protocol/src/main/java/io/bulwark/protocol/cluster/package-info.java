/**
 * The cluster in the view of all (docs/protocols, shared rules): nodes, volumes with their protection policies, and
 * placement groups with epochs. Also the facts about sessions, grants and ranges that nodes act on.
 */
@NullMarked
package io.bulwark.protocol.cluster;

import org.jspecify.annotations.NullMarked;
