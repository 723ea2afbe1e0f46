@NullMarked
package io.bulwark.console.http;

import org.jspecify.annotations.NullMarked;
