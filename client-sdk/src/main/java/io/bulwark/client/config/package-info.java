/**
 * What a client or a member needs to know before it connects: who it is, its keys, whom it believes from the first (the genesis file),
 * and where the metadata replicas are.
 */
@NullMarked
package io.bulwark.client.config;

import org.jspecify.annotations.NullMarked;
