/** The story that {@code bulwark demo} tells: a stopped node, a lying node, and the bytes that come back all the same. */
@NullMarked
package io.bulwark.appliance.demo;

import org.jspecify.annotations.NullMarked;
