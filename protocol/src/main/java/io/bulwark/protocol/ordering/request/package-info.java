/**
 * Request authentication (proactive recovery paper, section 4.2: a backup accepts a PRE-PREPARE only if "it can verify
 * the authenticity of m"; docs/ordering/normal-case.md). Without signatures of clients, replicas echo the requests that
 * they got.
 *
 * <p>In reading order: {@link io.bulwark.protocol.ordering.request.RequestPool}, {@link
 * io.bulwark.protocol.ordering.request.PendingRequest}, {@link io.bulwark.protocol.ordering.request.RequestEchoes} (of
 * one peer), {@link io.bulwark.protocol.ordering.request.EvictedEchoes}, {@link
 * io.bulwark.protocol.ordering.request.RequestQuota} (the limits of clients), {@link
 * io.bulwark.protocol.ordering.request.RecentResults} (answers to clients that ask again).
 */
@NullMarked
package io.bulwark.protocol.ordering.request;

import org.jspecify.annotations.NullMarked;
