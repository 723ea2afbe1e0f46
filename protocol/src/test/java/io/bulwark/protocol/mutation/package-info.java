/**
 * The harness of planted bugs: one small change of one production source file at a time, compiled in memory, must make a test fail. What is planted stands
 * beside the tests that find it, in {@code simulation} and in {@code storage-node}.
 */
@NullMarked
package io.bulwark.protocol.mutation;

import org.jspecify.annotations.NullMarked;
