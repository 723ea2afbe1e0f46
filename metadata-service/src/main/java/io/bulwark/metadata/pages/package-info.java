/**
 * The pages of a replica's state on disk (proactive recovery paper, section 4.6.2; PROTOCOLS section 7, checkpoints): a
 * checkpoint is durable by one synced batch, and what was left by a crash can be told from what is needed.
 */
@NullMarked
package io.bulwark.metadata.pages;

import org.jspecify.annotations.NullMarked;
