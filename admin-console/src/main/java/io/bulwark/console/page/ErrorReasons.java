package io.bulwark.console.page;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.web.error.ErrorAttributeOptions;
import org.springframework.boot.webmvc.error.DefaultErrorAttributes;
import org.springframework.stereotype.Component;
import org.springframework.web.context.request.WebRequest;

/** Words for errors that no controller has answered, such as a page that does not exist. */
@Component
class ErrorReasons extends DefaultErrorAttributes {
    @Override
    public Map<String, @Nullable Object> getErrorAttributes(WebRequest request, ErrorAttributeOptions options) {
        Map<String, @Nullable Object> attributes = super.getErrorAttributes(request, options);
        attributes.put("reason", String.valueOf(attributes.getOrDefault("error", "")));
        attributes.put("detail", detail(attributes.get("status")));
        return attributes;
    }

    private static String detail(@Nullable Object status) {
        return switch (status) {
            case Integer code when code == 403 -> "Your role does not allow this, or the page was open for too long.";
            case Integer code when code == 404 -> "There is no such page.";
            case Integer code when code >= 500 -> "The console failed; its log says why.";
            case null, default -> "The request was refused.";
        };
    }
}
