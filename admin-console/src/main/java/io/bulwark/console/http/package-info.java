/** Rules that all operations of the API share: problem details (RFC 9457), pages of lists, entity tags, idempotency keys. */
@NullMarked
package io.bulwark.console.http;

import org.jspecify.annotations.NullMarked;
