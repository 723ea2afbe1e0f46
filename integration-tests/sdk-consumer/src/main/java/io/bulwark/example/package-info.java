/** An application that uses the SDK, outside Bulwark's own build. */
@NullMarked
package io.bulwark.example;

import org.jspecify.annotations.NullMarked;
