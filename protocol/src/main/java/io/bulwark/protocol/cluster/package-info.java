/**
 * The cluster as everybody sees it: nodes, volumes with their protection policies, placement groups with epochs
 * (PROTOCOLS section 4, placement), and the facts about sessions, grants and ranges that nodes act on.
 */
@NullMarked
package io.bulwark.protocol.cluster;

import org.jspecify.annotations.NullMarked;
