/** Long work that a person started: its progress, its end, and its cancellation. */
@NullMarked
package io.bulwark.console.job;

import org.jspecify.annotations.NullMarked;
