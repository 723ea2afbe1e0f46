/** The frame of all pages: navigation, formats of figures, errors. */
@NullMarked
package io.bulwark.console.page;

import org.jspecify.annotations.NullMarked;
