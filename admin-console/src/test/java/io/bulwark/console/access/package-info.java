@NullMarked
package io.bulwark.console.access;

import org.jspecify.annotations.NullMarked;
