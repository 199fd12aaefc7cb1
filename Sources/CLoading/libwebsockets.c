// The page and streams over HTTP and WebSocket. libwebsockets 4.N is libwebsockets.so.(16 + N), and linked with OpenSSL.
#include <lws_config.h>

#if LWS_LIBRARY_VERSION_MAJOR != 4
#error "name the file of this version of libwebsockets here"
#elif LWS_LIBRARY_VERSION_MINOR == 0
#define VERSION "16"
#elif LWS_LIBRARY_VERSION_MINOR == 1
#define VERSION "17"
#elif LWS_LIBRARY_VERSION_MINOR == 2
#define VERSION "18"
#elif LWS_LIBRARY_VERSION_MINOR == 3
#define VERSION "19"
#else
#error "name the file of this version of libwebsockets here"
#endif

#define LIBRARY libwebsockets
#define FILE_NAME "libwebsockets.so." VERSION
#define FUNCTIONS(F) \
    F(lws_adopt_descriptor_vhost) \
    F(lws_callback_on_writable) \
    F(lws_cancel_service) \
    F(lws_client_connect_via_info) \
    F(lws_close_reason) \
    F(lws_context_destroy) \
    F(lws_context_user) \
    F(lws_create_context) \
    F(lws_create_vhost) \
    F(lws_frame_is_binary) \
    F(lws_get_close_length) \
    F(lws_get_context) \
    F(lws_get_protocol) \
    F(lws_get_socket_fd) \
    F(lws_hdr_copy) \
    F(lws_hdr_copy_fragment) \
    F(lws_hdr_custom_copy) \
    F(lws_hdr_total_length) \
    F(lws_http_headers_detach) \
    F(lws_http_client_http_response) \
    F(lws_http_client_read) \
    F(lws_http_transaction_completed) \
    F(lws_is_final_fragment) \
    F(lws_partial_buffered) \
    F(lws_remaining_packet_payload) \
    F(lws_rx_flow_control) \
    F(lws_service) \
    F(lws_set_log_level) \
    F(lws_set_timeout) \
    F(lws_sul_cancel) \
    F(lws_sul_schedule) \
    F(lws_write) \
    F(SSL_CTX_ctrl) \
    F(SSL_CTX_free) \
    F(SSL_CTX_load_verify_locations) \
    F(SSL_CTX_new) \
    F(SSL_CTX_set_default_verify_paths) \
    F(TLS_client_method) \
    F(X509_STORE_CTX_get_error) \
    F(X509_verify_cert_error_string)

#include "forward.h"
