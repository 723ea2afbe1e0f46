/** Bugs planted in the SDK: when it takes the word of replicas that its key is not believed. */
@NullMarked
package io.bulwark.client.mutation;

import org.jspecify.annotations.NullMarked;
