/** Agreement and change of a storage node's MAC keys (proactive recovery paper, 4.1; decision 17). */
@NullMarked
package io.bulwark.storage.keys;

import org.jspecify.annotations.NullMarked;
