/**
 * Configuration that a client or a member needs before it connects. It has its identity, its keys, the principals that
 * it trusts from the first (the genesis file), and the addresses of the metadata replicas.
 */
@NullMarked
package io.bulwark.client.config;

import org.jspecify.annotations.NullMarked;
