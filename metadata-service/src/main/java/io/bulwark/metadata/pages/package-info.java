/**
 * The pages of a replica's state on disk (proactive recovery paper, section 4.6.2; docs/ordering/checkpoints.md).
 * One synced batch makes a checkpoint durable, and the remains of a crash can be told from needed pages.
 */
@NullMarked
package io.bulwark.metadata.pages;

import org.jspecify.annotations.NullMarked;
