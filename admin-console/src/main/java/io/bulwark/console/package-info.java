/** The operator's console: {@code GET /api/status}, {@code GET /api/groups} and one page that shows them, all read through the SDK. */
@NullMarked
package io.bulwark.console;

import org.jspecify.annotations.NullMarked;
