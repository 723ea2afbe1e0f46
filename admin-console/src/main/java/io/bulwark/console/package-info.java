/**
 * The operator's console: a REST API under {@code /api/v1} and web pages, both over the SDK.
 *
 * <p>One package per capability, with its API controller ({@code XApi}), its page controller ({@code XPages}) and the records that both
 * show. Templates stand under {@code resources/templates/CAPABILITY}. {@link io.bulwark.console.http} has the rules of the API (problems,
 * pages of lists, entity tags), {@link io.bulwark.console.page} the frame of all pages, {@link io.bulwark.console.live} what the cluster
 * reports, {@link io.bulwark.console.job} long work, {@link io.bulwark.console.access} who is signed in.
 */
@NullMarked
package io.bulwark.console;

import org.jspecify.annotations.NullMarked;
