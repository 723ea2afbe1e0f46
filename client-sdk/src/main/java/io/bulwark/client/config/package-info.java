/** What a client needs to know before it connects: who it is, its keys, and where the metadata replicas are. */
@NullMarked
package io.bulwark.client.config;

import org.jspecify.annotations.NullMarked;
