/** Runs the planted bugs that the tests of this module declare. */
@NullMarked
package io.bulwark.storage.mutation;

import org.jspecify.annotations.NullMarked;
