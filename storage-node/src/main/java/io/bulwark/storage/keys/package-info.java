/** How a storage node comes to the keys of its MACs and changes them (proactive recovery paper, 4.1; decision 17). */
@NullMarked
package io.bulwark.storage.keys;

import org.jspecify.annotations.NullMarked;
