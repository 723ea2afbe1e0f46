/** Runs the planted bugs that the tests of this module declare. */
@NullMarked
package io.bulwark.client.mutation;

import org.jspecify.annotations.NullMarked;
