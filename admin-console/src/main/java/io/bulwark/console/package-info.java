/** The operator's console: {@code GET /api/status} and one page that shows it, both read through the SDK. */
@NullMarked
package io.bulwark.console;

import org.jspecify.annotations.NullMarked;
