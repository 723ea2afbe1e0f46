/** Notifications of webhooks about changes of objects, at least once (docs/decisions/0037). */
@NullMarked
package io.bulwark.gateway.s3.notification;

import org.jspecify.annotations.NullMarked;
