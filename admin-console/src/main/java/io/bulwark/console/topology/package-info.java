/** The cluster as a picture, its map, and the configuration in force. */
@NullMarked
package io.bulwark.console.topology;

import org.jspecify.annotations.NullMarked;
