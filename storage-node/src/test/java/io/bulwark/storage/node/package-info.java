/** Tests of the node's driver with a protocol made up for them, over real connections. */
@NullMarked
package io.bulwark.storage.node;

import org.jspecify.annotations.NullMarked;
